import RexTesting
import Testing

/// What an action, a ping and a delivery cost in memory: never more than it did.
@Suite(.ownThreads) struct AllocationTests {
    @Test(.uninstrumented("counts allocations")) func noFrameAsksForMoreMemoryThanItDid() throws {
        let program = ServerProcess.builtPrograms + "/rex-allocations"
        let run = try Programs.run([program, "Tests/Allocations/ceilings.txt"])
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        #expect(run.output.split(separator: "\n").count == 4, "\(run.output)")
    }
}

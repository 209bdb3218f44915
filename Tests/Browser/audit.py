"""What axe-core finds wrong with a page: roles, names, contrast, focus."""

from harness import TOOLS, Failure

AXE = (TOOLS / "axe_playwright_python/axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def audit(window, what, part="html"):
    """What axe finds wrong with the page as it is, or with a part of it."""
    page = window.page
    if not page.evaluate("Boolean(globalThis.axe)"):
        page.evaluate(AXE)
    found = page.evaluate(
        "([part, values]) => axe.run(part, { runOnly: { type: 'tag', values } })", [part, RULES]
    )
    wrong = [
        f"{each['id']} ({each['help']}): {node['html'][:200]} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
    if wrong:
        raise Failure(f"{what}: " + "\n".join(wrong))
    if len(found["passes"]) < 5:
        raise Failure(f"{what}: hardly anything was looked at")

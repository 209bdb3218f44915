// Who somebody is, where the server asks: a token that stays with this tab and goes nowhere but
// into `hello`.
import { memory } from "/dom.js";

export const keptToken = memory("sessionStorage", "rex.token") || undefined;

/** Asks for a token where the server wants one, or another one, and begins anew with it. */
export function askWhoItIs(connection) {
  connection.onStatus((status, detail) => {
    if (status !== "closed" || detail.error?.code !== "unauthorized") return;
    const text = prompt("This server asks who you are. Your token:")?.trim();
    if (!text) return;
    memory("sessionStorage", "rex.token", text);
    location.reload();
  });
}

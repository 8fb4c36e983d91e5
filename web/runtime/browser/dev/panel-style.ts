// Styles of badge and overlay. A constructed stylesheet applies only to its shadow root, and a content security policy
// does not restrict it.

export const STYLE = `
:host {
  all: initial;
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #16181d);
  --raised: light-dark(#f6f5f2, #1f2229);
  --ink: light-dark(#1c1b19, #ecebe8);
  --soft: light-dark(#65615a, #a3a5ad);
  --line: light-dark(#e3e0da, #30343d);
  --fault: light-dark(#b3261e, #ff8a80);
  --fault-wash: light-dark(#fdf0ee, #3a2021);
  --warning: light-dark(#7d5700, #f2c14e);
  --well: light-dark(#1b6e3c, #7bd99a);
  --busy: light-dark(#345a9c, #9dc0ff);
  --word: light-dark(#7a3e9d, #d0a5f5);
  --quoted: light-dark(#1b6e3c, #9bd7a9);
  --mono: ui-monospace, 'SFMono-Regular', 'Cascadia Code', Menlo, Consolas, monospace;
  --sans: system-ui, -apple-system, 'Segoe UI', sans-serif;
  font: 14px/1.5 var(--sans);
}
* { box-sizing: border-box; }
button { font: inherit; color: inherit; cursor: pointer; }
:focus-visible { outline: 2px solid var(--busy); outline-offset: 2px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.badge {
  position: fixed; z-index: 2147483646; inset: auto auto 16px 16px; max-width: calc(100vw - 32px);
  display: inline-flex; align-items: center; gap: 9px; padding: 7px 14px 7px 12px;
  border: 1px solid var(--line); border-radius: 999px; background: var(--paper); color: var(--ink);
  box-shadow: 0 1px 2px rgb(0 0 0 / .08), 0 6px 20px rgb(0 0 0 / .12);
  font: 500 13px/1.4 var(--sans); font-variant-numeric: tabular-nums;
}
.badge[hidden] { display: none; }
.badge::before { content: ''; flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--tone); }
.badge[data-tone=busy] { --tone: var(--busy); }
.badge[data-tone=well] { --tone: var(--well); }
.badge[data-tone=fault] { --tone: var(--fault); }
.badge[data-tone=warning] { --tone: var(--warning); }
.badge[data-action=none] { cursor: default; }
.badge .detail { color: var(--soft); font-weight: 400; }
.badge .detail:empty { display: none; }

dialog {
  width: min(920px, calc(100vw - 32px)); max-width: none; max-height: min(86vh, 900px); margin: 7vh auto auto; padding: 0;
  border: 1px solid var(--line); border-radius: 14px; overflow: hidden;
  background: var(--paper); color: var(--ink); box-shadow: 0 24px 80px rgb(0 0 0 / .35);
}
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(20 18 16 / .5); }
header {
  display: flex; align-items: center; gap: 12px; padding: 12px 14px 12px 24px; border-bottom: 1px solid var(--line);
}
.source { color: var(--fault); font-weight: 600; margin-right: auto; }
.source[data-tone=warning] { color: var(--warning); }
.pager { flex: none; display: inline-flex; align-items: center; gap: 6px; color: var(--soft); font-variant-numeric: tabular-nums; }
.quiet {
  padding: 4px 10px; border: 1px solid transparent; border-radius: 8px; background: none; color: var(--soft);
}
.quiet:hover { background: var(--raised); color: var(--ink); }
.quiet:disabled { opacity: .35; cursor: default; background: none; }
kbd {
  margin-left: 6px; padding: 1px 6px; border: 1px solid var(--line); border-radius: 5px; background: var(--raised);
  font: 11px/1.5 var(--mono); color: var(--soft);
}
.scroll { overflow: auto; padding: 20px 24px 24px; }
h1 {
  margin: 0 0 14px; font: 600 17px/1.5 var(--sans); white-space: pre-wrap; overflow-wrap: anywhere;
}
h1.long { font: 13px/1.6 var(--mono); }
h1 + .docs { margin-top: -6px; }
.docs { margin: 0 0 14px; color: var(--soft); }
a { color: var(--busy); text-underline-offset: 3px; }
h2 { margin: 22px 0 8px; font: 600 13px/1.4 var(--sans); color: var(--soft); }
.place {
  display: flex; width: 100%; align-items: center; justify-content: space-between; gap: 16px; padding: 9px 14px;
  border: 1px solid var(--line); border-radius: 10px; background: var(--raised); text-align: left;
  font: 13px/1.5 var(--mono); overflow-wrap: anywhere;
}
.place:has(+ .frame) { border-bottom-left-radius: 0; border-bottom-right-radius: 0; }
.place:hover { border-color: var(--soft); }
.place .do { flex: none; font: 500 13px/1.5 var(--sans); color: var(--busy); }
.frame, .tree {
  margin: 0; padding: 10px 0; border: 1px solid var(--line); border-radius: 10px; overflow-x: auto;
  font: 13px/1.65 var(--mono); tab-size: 2; white-space: pre;
}
.place + .frame { border-top: 0; border-top-left-radius: 0; border-top-right-radius: 0; }
.row { display: flex; min-width: max-content; padding-right: 16px; }
.row .number { flex: none; width: 56px; padding-right: 16px; text-align: right; color: var(--soft); user-select: none; }
.row.isFault { background: var(--fault-wash); box-shadow: inset 3px 0 var(--fault); }
.row.isFault .number { color: var(--fault); font-weight: 600; }
.caret { color: var(--fault); font-weight: 700; }
.comment { color: var(--soft); }
.word { color: var(--word); }
.quoted { color: var(--quoted); }
.tree { padding: 10px 14px; }
.tree .minus { color: var(--fault); }
.tree .plus { color: var(--well); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); gap: 12px; margin-bottom: 14px; }
.side { margin: 0; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.side figcaption { padding: 6px 14px; background: var(--raised); color: var(--soft); font-size: 13px; }
.side pre { margin: 0; padding: 10px 14px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.6 var(--mono); }
.calls { margin: 0; padding: 0; list-style: none; }
.call {
  display: flex; width: calc(100% + 20px); gap: 12px; justify-content: space-between; padding: 5px 10px; margin: 0 -10px;
  border: 0; border-radius: 8px; background: none; text-align: left; font: 13px/1.5 var(--mono); overflow-wrap: anywhere;
}
button.call:hover { background: var(--raised); }
.call .where { color: var(--soft); text-align: right; }
details > summary { margin-top: 6px; color: var(--soft); cursor: pointer; font-size: 13px; }
.note { margin: 20px 0 0; color: var(--soft); font-size: 13px; }
.warnings { margin: 0; padding: 0; list-style: none; display: grid; gap: 12px; }
.warnings p { margin: 0 0 6px; overflow-wrap: anywhere; }
@media (prefers-reduced-motion: no-preference) {
  dialog[open] { animation: arrive .16s ease-out; }
  .badge[data-tone=busy]::before { animation: breathe 1.4s ease-in-out infinite; }
}
@keyframes arrive { from { opacity: 0; transform: translateY(6px); } }
@keyframes breathe { 50% { opacity: .3; } }
@media (max-width: 520px) {
  .scroll { padding: 16px; }
  header { padding-left: 16px; }
  kbd { display: none; }
  .call { flex-direction: column; gap: 0; }
  .call .where { text-align: left; }
}
`

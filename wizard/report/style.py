"""The look of the page: light, dark and in print, without anything from elsewhere."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --faint: #57606a; --edge: #c8ced5;
  --soft: #f3f5f7; --danger: #b3261e; --warning: #8a5300; --info: #0b5cad; --ok: #1a6b34;
  --kept: #4a7fb5; --new: #2c8a4b; --removed: #c9604f; --free: #e3e7eb; --unread: #c9a227; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --paper: #15181c; --faint: #a3acb5; --edge: #454d56; --soft: #20252b;
    --danger: #ff8a80; --warning: #f0b45a; --info: #7db8f5; --ok: #7fd496;
    --kept: #5d93c9; --new: #3fa35f; --removed: #c9604f; --free: #353c44; --unread: #b8942a; } }
@media print { :root { --ink: #000; --paper: #fff; --faint: #333; --edge: #999; --soft: #fff; }
  nav { display: none; } h2 { break-after: avoid; } figure, tr, li { break-inside: avoid; }
  * { print-color-adjust: exact; } }
body { margin: 0 auto; padding: 1rem 1.25rem 4rem; max-width: 62rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--edge); padding-bottom: .2rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .3rem; } h4 { font-size: 1rem; margin: 1rem 0 .2rem; }
p { margin: .4rem 0; max-width: 46rem; } ul, ol { margin: .4rem 0; padding-left: 1.4rem; }
li { margin: .25rem 0; max-width: 46rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
a { color: var(--info); }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1.2rem;
  margin: .6rem 0; }
dt { color: var(--faint); } dd { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; font-size: .93rem;
  overflow-wrap: normal; }
caption { text-align: left; color: var(--faint); padding: .2rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem .25rem 0;
  border-bottom: 1px solid var(--edge); }
tbody th { font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
pre { background: var(--soft); border: 1px solid var(--edge); padding: .5rem .7rem; overflow-x: auto;
  white-space: pre-wrap; font: .88rem/1.45 ui-monospace, monospace; margin: .4rem 0; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--faint); }
figure { margin: .8rem 0 1.2rem; } figcaption { margin-bottom: .3rem; }
svg { display: block; width: 100%; height: auto; }
.quiet { color: var(--faint); } .word { border: 1px solid currentColor; border-radius: .25rem;
  padding: 0 .35rem; margin-right: .2rem; }
.danger, .failed { color: var(--danger); } .warning, .rejected { color: var(--warning); }
.info, .second { color: var(--info); }
.ok, .done, .chosen { color: var(--ok); }
svg text { font: 15px system-ui, sans-serif; fill: var(--ink); }
.line { stroke: var(--ink); stroke-width: 1.5; }
.neutral { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4; } .dot { fill: var(--ink); }
.bar { fill: var(--kept); } .bar.aligned, .bar.done { fill: var(--new); }
.bar.misaligned { fill: var(--unread); }
.bar.failed { fill: var(--removed); }
.stretch { stroke: var(--ink); stroke-width: 1; } .stretch.kept { fill: var(--kept); }
.stretch.new { fill: var(--new); }
.stretch.removed { fill: var(--removed); } .stretch.free { fill: var(--free); }
.stretch.unread { fill: var(--unread); }
.hatch { stroke: var(--paper); stroke-width: 1.5; fill: none; }
.plate { fill: var(--paper); }
"""

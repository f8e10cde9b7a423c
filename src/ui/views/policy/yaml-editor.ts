/**
 * CodeMirror in a shadow root: there its styles are constructed sheets, which the page's CSP allows (no inline styles).
 * Loaded only where a file is edited. The worker parses; this colours lines and shows its problems where they are.
 */
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import { Decoration, EditorView, lineNumbers, MatchDecorator, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { minimalSetup } from "codemirror";
import type { Problem } from "../../../worker/api";

export interface YamlEditor {
  readonly text: () => string;
  readonly setText: (text: string) => void;
  /** Puts the cursor at `line:column` and shows it. */
  readonly goTo: (line: number, column: number) => void;
  readonly destroy: () => void;
}

export interface YamlEditorOptions {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Problems of this text, `where` as `line:column`. */
  readonly check: (text: string) => Promise<readonly Problem[]>;
}

const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--sheet)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--ink-faint)", backgroundColor: "var(--well)", borderRight: "1px solid var(--rule)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "light-dark(#cfe0f2, #2d4a69)",
  },
  ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--sheet)", border: "1px solid var(--rule-strong)" },
  ".purser-comment": { color: "var(--ink-soft)", fontStyle: "italic" },
  ".purser-key": { color: "var(--accent)" },
});

/** Comments and keys, by line; enough for a file whose every line is one of them. */
const COLOURS = new MatchDecorator({
  regexp: /(^|\s)#.*|^[\s-]*[^\s#:"'{[][^\s:#]*(?=:)|(?<=[{,]\s*)[\w.-]+(?=:)/g,
  decoration: (match) => Decoration.mark({ class: /^\s*#/.test(match[0]) ? "purser-comment" : "purser-key" }),
});

const colours = ViewPlugin.fromClass(
  class {
    decorations;
    constructor(view: EditorView) {
      this.decorations = COLOURS.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.decorations = COLOURS.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** `12:5` as offsets of the document; the whole line where the column is past its end. */
function diagnosticOf(view: EditorView, problem: Problem): Diagnostic {
  const [line = 1, column = 1] = problem.where.split(":").map(Number);
  const row = view.state.doc.line(Math.min(Math.max(1, line || 1), view.state.doc.lines));
  const from = Math.min(row.from + Math.max(0, (column || 1) - 1), row.to);
  return { from, to: Math.max(from, row.to), severity: "error", message: problem.message };
}

/** Makes the editor inside `host`, which gets an open shadow root. */
export function createYamlEditor(host: HTMLElement, options: YamlEditorOptions): YamlEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    doc: options.text,
    extensions: [
      minimalSetup,
      lineNumbers(),
      lintGutter(),
      linter(
        async (view) => (await options.check(view.state.doc.toString())).map((problem) => diagnosticOf(view, problem)),
        {
          delay: 400,
        },
      ),
      colours,
      THEME,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": options.label, spellcheck: "false", tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) options.onChange(update.state.doc.toString());
      }),
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    goTo: (line, column) => {
      const row = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      const anchor = Math.min(row.from + Math.max(0, column - 1), row.to);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

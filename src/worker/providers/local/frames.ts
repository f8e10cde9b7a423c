/** Places in code that a log names, and whether they are the project's own. */

export interface Frame {
  readonly at: number;
  readonly file: string;
  readonly line: number;
  readonly own: boolean;
  /** Python prints the innermost call last, everyone else first. */
  readonly innermost: "last" | "first";
}

/** Directories of installed packages, runtimes and virtual environments. */
const FOREIGN_FILE =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|venv|\.cargo|\.rustup|rustc|vendor|hostedtoolcache)\/|^node:|^internal\/|^(?:runtime|testing)\/|^<|\/pkg\/mod\/|\/usr\/(?:local\/)?(?:lib|go)\/|\/lib\/python\d|\/src\/(?:runtime|testing)\/|webpack-internal/;

/** The JDK, test frameworks and the libraries whose frames fill most Java traces. */
const FOREIGN_CLASS =
  /^(?:java|javax|jdk|sun|com\.sun|jakarta|kotlin|kotlinx|scala|groovy|org\.(?:junit|opentest4j|testng|hamcrest|assertj|mockito|apache|gradle|springframework|hibernate|codehaus|eclipse)|io\.netty|reactor|net\.bytebuddy|com\.zaxxer)\./;

/** Where CI systems check a project out; what follows is the path inside it. */
const CHECKOUT =
  /^(?:\/home\/runner\/work\/[^/]+\/[^/]+|\/builds\/[^/]+\/[^/]+|\/github\/workspace|\/workspace|\/build|\/app)\//;

const PYTHON = /^\s*File "([^"]+)", line (\d+)/;
const PYTEST = /^(\S+\.py):(\d+): (?:[A-Z]\w*|in \w+)?/;
const JAVA = /^\s*at ([\w.$/@<>-]+)\(([\w$.-]+\.(?:java|kt|scala|groovy)):(\d+)\)/;
const GO = /^\s+(\S+\.go):(\d+)(?::| \+0x|$)/;
const RUST = /^\s*(?:-->|thread '[^']*'.* panicked at) (\S+\.rs):(\d+):\d+/;
const COMPILER = /^(?:\[ERROR\] )?(\S+\.\w+)(?:[:(](\d+)[,:]|:\[(\d+),)\d+[\]):]{0,2}:? /;
const RUBY = /^\s*#? ?(\S+\.rb):(\d+):in /;
const JS_END = /^(?:file:\/\/)?(\S+):(\d+):(\d+)$/;

export function frameIn(line: string, at: number): Frame | null {
  return javaFrame(line, at) ?? scriptFrame(line, at) ?? pathFrame(line, at);
}

function javaFrame(line: string, at: number): Frame | null {
  const match = JAVA.exec(line);
  if (match === null) return null;
  const [, method = "", file = "", number] = match;
  // `app//`, `java.base/`: the class loader and module before the class.
  const own = !FOREIGN_CLASS.test(method.slice(method.lastIndexOf("/") + 1));
  return { at, file, line: Number(number), own, innermost: "first" };
}

/** `at name (file:line:column)`, `at file:line:column`, and the arrow some runners print. */
function scriptFrame(line: string, at: number): Frame | null {
  const text = line.trim();
  const marked = text.startsWith("at ") || text.startsWith("❯ ") || text.startsWith("test at ");
  if (!marked) return null;
  const opened = text.lastIndexOf("(");
  const place = opened >= 0 ? text.slice(opened + 1).replace(/\)$/, "") : text.slice(text.lastIndexOf(" ") + 1);
  const match = JS_END.exec(place);
  return match === null ? null : framed(at, match[1], match[2], "first");
}

function pathFrame(line: string, at: number): Frame | null {
  const python = PYTHON.exec(line) ?? PYTEST.exec(line);
  if (python !== null) return framed(at, python[1], python[2], "last");
  const other = GO.exec(line) ?? RUST.exec(line) ?? RUBY.exec(line);
  if (other !== null) return framed(at, other[1], other[2], "first");
  const compiler = COMPILER.exec(line);
  return compiler === null ? null : framed(at, compiler[1], compiler[2] ?? compiler[3], "first");
}

function framed(at: number, path = "", line = "", innermost: Frame["innermost"]): Frame {
  const own = !FOREIGN_FILE.test(path);
  return { at, file: path.replace(CHECKOUT, "").replace(/^\.\//, ""), line: Number(line), own, innermost };
}

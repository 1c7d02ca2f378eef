// Reads TypeScript or JavaScript without its comments and texts, so that what is left can be searched safely.

/** `code` is the source with each comment gone, each text written as `"n"` (its index in `texts`) and each regular expression as `"r"`. */
export interface ScannedSource {
  readonly code: string;
  readonly texts: readonly string[];
}

/** What a file asks for: module specifiers as they are written, and how many dynamic imports are not plain text. */
export interface Imports {
  readonly specifiers: readonly string[];
  readonly computed: number;
}

/** The specifiers of static, side-effect, dynamic and type imports, of re-exports and of `require`. */
export function importsOf({ code, texts }: ScannedSource): Imports {
  const specifiers = [...code.matchAll(importing)].map((found) => texts[Number(found[1])] ?? '');
  return { specifiers, computed: [...code.matchAll(computedImport)].length };
}

/** Scans a source. Throws where a text or comment does not end, rather than overlook what comes after it. */
export function scanSource(source: string): ScannedSource {
  const texts: string[] = [];
  /** One entry for each open `${`: how many braces are open inside it. */
  const templates: number[] = [];
  let code = '';
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const keep = (text: string) => {
    code += `"${texts.length}"`;
    texts.push(text);
  };
  const templateChunk = () => {
    const chunk = take(chunkOfTemplate);
    if (chunk === undefined) throw new Error(`a template does not end (offset ${at})`);
    const opens = chunk.endsWith('${');
    keep(chunk.slice(0, opens ? -2 : -1));
    if (opens) templates.push(0);
    code += opens ? '+(' : '';
  };
  const punctuation = () => {
    const sign = source[at] ?? '';
    at += 1;
    const depth = templates.at(-1);
    if (sign === '`') return templateChunk();
    if (sign === '"' || sign === "'") throw new Error(`a text does not end (offset ${at})`);
    if (sign === '}' && depth === 0) {
      templates.pop();
      code += ')+';
      return templateChunk();
    }
    if (depth !== undefined && sign === '{') templates[templates.length - 1] = depth + 1;
    if (depth !== undefined && sign === '}') templates[templates.length - 1] = depth - 1;
    code += sign;
  };
  while (at < source.length) {
    const comment = take(commentOrShebang);
    if (comment !== undefined) {
      code += comment.replaceAll(/[^\n]/g, '') || ' ';
      continue;
    }
    const text = take(quoted);
    if (text !== undefined) {
      keep(text.slice(1, -1));
      continue;
    }
    if (source[at] === '/' && !endsAnOperand.test(code.slice(-40)) && take(regularExpression) !== undefined) {
      code += '"r"';
      continue;
    }
    const plain = take(plainRun);
    if (plain === undefined) punctuation();
    else code += plain;
  }
  return { code, texts };
}

const importing = /(?<![\w$.])(?:from\s*|import\s*\(?\s*|require\s*\(\s*)"(\d+)"/g;
const computedImport = /(?<![\w$.])(?:import|require)\s*\((?!\s*"\d+"\s*[,)])/g;
const commentOrShebang = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<![\s\S])#![^\n]*/y;
const quoted = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const chunkOfTemplate = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const regularExpression = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const plainRun = /[^'"`/{}]+/y;
/** After an operand a slash divides; after an operator or one of these words it opens a regular expression. */
const endsAnOperand =
  /(?:(?<!(?<![\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|instanceof|yield|await))(?<=[\w$])|[)\]}"])\s*$/;

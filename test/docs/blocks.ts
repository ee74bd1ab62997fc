import { readdirSync, readFileSync } from 'node:fs'

const guides = readdirSync('docs').filter((name) => name.endsWith('.md'))

/** README.md and the guides: the pages for users of fauxgate that are not generated. */
export const documents: readonly string[] = ['README.md', 'llms.txt', ...guides.map((name) => `docs/${name}`)]

export interface Block {
  readonly document: string
  readonly line: number
  /** The heading above the block. */
  readonly heading: string
  readonly language: string
  /** True for a block that is marked as a fragment. It can use the names of `surroundings.ts`. */
  readonly isFragment: boolean
  /** The name of the file in the first line. The block is this file or a part of it. */
  readonly file: string | undefined
  readonly code: string
}

/** A first line such as `// domains.test.ts` or `# examples/python/conftest.py`. */
const NAMED = /^(?:\/\/|#) ([\w./-]+\.\w+)\n/

const BLOCK = /^```(\w+)( fragment)?\n([\s\S]*?)^```$/gm

/** The code blocks of a document. */
export function listBlocksOf(document: string): Block[] {
  const text = readFileSync(document, 'utf8')
  return [...text.matchAll(BLOCK)].map(({ index, 1: language = '', 2: mark, 3: code = '' }) => ({
    document,
    line: text.slice(0, index).split('\n').length,
    heading: /^#+ (.*)$(?![\s\S]*^#+ )/m.exec(text.slice(0, index))?.[1] ?? '',
    language,
    isFragment: mark !== undefined,
    file: NAMED.exec(code)?.[1],
    code,
  }))
}

/** Returns the code blocks of all documents in these languages. */
export function listBlocks(...languages: readonly string[]): Block[] {
  return documents.flatMap(listBlocksOf).filter(({ language }) => languages.includes(language))
}

// The parts of cel-js that are missing from its own declarations.
declare module '*/cel-js/lib/macros.js' {
  export function registerMacros(registry: {
    registerFunctionOverload(signature: string, handler: object): void
    registerType(): void
    registerConstant(): void
  }): void
}

declare module '*/cel-js/lib/options.js' {
  export function createOptions(): { readonly limits: object }
}

declare module '*/cel-js/lib/parser.js' {
  interface Lexer {
    readonly input: string
    readonly tokenValue: unknown
    pos: number
    nextToken(): Lexer
    readNumber(): Lexer
    readString(quote: string, prefix: string | undefined): Lexer
    token(pos: number, type: number, value: unknown): Lexer
    _closeQuotedString(start: number, text: string, prefix: string | undefined, pos: number): Lexer
  }

  export class Parser {
    /** The lexer, which is shared by all parsers. */
    readonly lexer: Lexer
    constructor(
      limits: object,
      registry: {
        enableOptionalTypes: boolean
        findMacro(name: string, isMethod: boolean, argumentCount: number): unknown
      },
    )
    parse(source: string): import('@marcbachmann/cel-js').ASTNode
  }
}

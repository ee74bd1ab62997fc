import type ts from 'typescript'

/** Declares the names of `surroundings.ts`, a file of the program, as globals: those that a fragment may use. */
export function aroundOf(program: ts.Program, surroundings: string): string {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(surroundings)
  const module = source && checker.getSymbolAtLocation(source)
  const exported = module && checker.getExportsOfModule(module).find(({ name }) => name === 'surroundings')
  const type = exported && checker.getTypeOfSymbol(exported).getCallSignatures()[0]?.getReturnType()
  if (!type) throw new Error(`${surroundings} does not export surroundings().`)
  const names = checker.getPropertiesOfType(type).map(({ name }) => name)
  return `import 'fauxgate/vitest'
import type { surroundings } from './surroundings.js'
type Around = ReturnType<typeof surroundings>
declare global {
${names.map((name) => `const ${name}: NonNullable<Around['${name}']>`).join('\n')}
}`
}

import type { InitFile, ProjectFacts } from './init-test.ts'

/** Returns the configuration by which Jest runs a test in TypeScript, unless the project has one. */
export function jestConfigFor({ hasTsJest, isModule, isTyped, jestConfig }: ProjectFacts): readonly InitFile[] {
  if (!hasTsJest || jestConfig !== undefined) return []
  const lines = partsFor(isModule, isTyped).flatMap((part) => part.lines)
  const text = `${isModule ? 'export default' : 'module.exports ='} {\n${lines.map((line) => `  ${line},\n`).join('')}}\n`
  return [{ name: 'jest.config.js', purpose: 'by which Jest runs TypeScript', text }]
}

/** Returns what Jest's own configuration lacks to run the first tests; undefined if it seems to be complete. */
export function missingInJest({ hasTsJest, isModule, isTyped, jestConfig }: ProjectFacts): string | undefined {
  if (!hasTsJest || jestConfig === undefined) return undefined
  const missing = partsFor(isModule, isTyped).flatMap(({ lines, isIn }) => (isIn(jestConfig) ? [] : lines))
  return missing.length === 0 ? undefined : missing.join(', ')
}

/** A part of the configuration, and whether a text has one like it. */
interface ConfigPart {
  readonly lines: readonly string[]
  readonly isIn: (config: string) => boolean
}

function partsFor(isModule: boolean, isTyped: boolean): readonly ConfigPart[] {
  return [
    {
      lines: compilerLines(isModule, isTyped),
      isIn: (config) => config.includes('ts-jest') && (!isModule || /extensionsToTreatAsEsm|esm/i.test(config)),
    },
    {
      // TypeScript names other files by what they become, and Jest looks for what they are.
      lines: ["moduleNameMapper: { '^(\\\\.{1,2}/.*)\\\\.js$': '$1' }"],
      isIn: (config) => config.includes('moduleNameMapper'),
    },
    { lines: ["setupFilesAfterEnv: ['fauxgate/jest']"], isIn: (config) => config.includes('fauxgate/jest') },
  ]
}

/** Jest takes a TypeScript file for CommonJS, whatever package.json says, unless its configuration names the ending. */
function compilerLines(isModule: boolean, isTyped: boolean): readonly string[] {
  if (!isModule) return ["transform: { '^.+\\\\.ts$': 'ts-jest' }"]
  // Without a tsconfig.json, ts-jest would make CommonJS of a module.
  const tsconfig = isTyped ? '' : ", tsconfig: { module: 'esnext', moduleResolution: 'bundler' }"
  return ["extensionsToTreatAsEsm: ['.ts']", `transform: { '^.+\\\\.ts$': ['ts-jest', { useESM: true${tsconfig} }] }`]
}

import type { InitFile, ProjectFacts } from './init-test.ts'

/** Returns the configuration that lets Jest run TypeScript tests, unless the project has one. */
export function jestConfigFor({ hasTsJest, isModule, isTyped, jestConfig }: ProjectFacts): readonly InitFile[] {
  if (!hasTsJest || jestConfig !== undefined) return []
  const lines = partsFor(isModule, isTyped).flatMap((part) => part.lines)
  const text = `${isModule ? 'export default' : 'module.exports ='} {\n${lines.map((line) => `  ${line},\n`).join('')}}\n`
  return [{ name: 'jest.config.js', purpose: 'that lets Jest run TypeScript', text }]
}

/** Describes the settings that Jest's configuration lacks for the first tests. Returns undefined if it seems to be complete. */
export function missingInJest({ hasTsJest, isModule, isTyped, jestConfig }: ProjectFacts): string | undefined {
  if (!hasTsJest || jestConfig === undefined) return undefined
  const missing = partsFor(isModule, isTyped).flatMap(({ lines, isIn }) => (isIn(jestConfig) ? [] : lines))
  return missing.length === 0 ? undefined : missing.join(', ')
}

/** A part of the configuration, and a check for a similar part in a string. */
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
      // TypeScript imports files by their compiled names, but Jest looks for the source files.
      lines: ["moduleNameMapper: { '^(\\\\.{1,2}/.*)\\\\.js$': '$1' }"],
      isIn: (config) => config.includes('moduleNameMapper'),
    },
    { lines: ["setupFilesAfterEnv: ['fauxgate/jest']"], isIn: (config) => config.includes('fauxgate/jest') },
  ]
}

/** Jest treats a TypeScript file as CommonJS, regardless of package.json, unless its configuration lists the extension. */
function compilerLines(isModule: boolean, isTyped: boolean): readonly string[] {
  if (!isModule) return ["transform: { '^.+\\\\.ts$': 'ts-jest' }"]
  // Without a tsconfig.json, ts-jest would compile a module to CommonJS.
  const tsconfig = isTyped ? '' : ", tsconfig: { module: 'esnext', moduleResolution: 'bundler' }"
  return ["extensionsToTreatAsEsm: ['.ts']", `transform: { '^.+\\\\.ts$': ['ts-jest', { useESM: true${tsconfig} }] }`]
}

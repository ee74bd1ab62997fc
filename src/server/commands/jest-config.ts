import type { InitFile, ProjectFacts } from './init-test.ts'

/** Returns the configuration by which Jest runs a test in TypeScript, unless the project has one. */
export function jestConfigFor({ hasTsJest, isModule, isTyped, jestConfig }: ProjectFacts): readonly InitFile[] {
  if (!hasTsJest || jestConfig !== undefined) return []
  const text = `${isModule ? 'export default' : 'module.exports ='} {
${linesFor(isModule, isTyped)
  .map((line) => `  ${line},\n`)
  .join('')}}
`
  return [{ name: 'jest.config.js', purpose: 'by which Jest runs TypeScript', text }]
}

/** Returns what Jest's own configuration lacks to run the first test; undefined if it seems to be complete. */
export function missingInJest({ hasTsJest, isModule, isTyped, jestConfig }: ProjectFacts): string | undefined {
  if (!hasTsJest || jestConfig === undefined) return undefined
  const isComplete = jestConfig.includes('ts-jest') && (!isModule || /extensionsToTreatAsEsm|esm/i.test(jestConfig))
  return isComplete ? undefined : linesFor(isModule, isTyped).join(', ')
}

/** Jest takes a TypeScript file for CommonJS, whatever package.json says, unless its configuration names the ending. */
function linesFor(isModule: boolean, isTyped: boolean): readonly string[] {
  if (!isModule) return ["transform: { '^.+\\\\.ts$': 'ts-jest' }"]
  // Without a tsconfig.json, ts-jest would make CommonJS of a module.
  const tsconfig = isTyped ? '' : ", tsconfig: { module: 'esnext', moduleResolution: 'bundler' }"
  return ["extensionsToTreatAsEsm: ['.ts']", `transform: { '^.+\\\\.ts$': ['ts-jest', { useESM: true${tsconfig} }] }`]
}

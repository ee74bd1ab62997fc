/** The sources of the package's entry points, by the names of their files in dist. */
export const entryPoints = {
  index: 'src/index.ts',
  node: 'src/server/node.ts',
  clock: 'src/testing/clock.ts',
  testing: 'src/testing/testing.ts',
  msw: 'src/testing/msw.ts',
  jest: 'src/testing/jest.ts',
  openapi: 'src/gateway/openapi/openapi.ts',
  kit: 'src/service/kit/index.ts',
  ngrok: 'src/gateway/ngrok.ts',
  vitest: 'src/testing/vitest.ts',
  sandbox: 'src/sandbox/index.ts',
}

/** The sources of the package's entry points, by the names that users import. */
export const entryPointsByImport: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(entryPoints).map(([name, path]) => [name === 'index' ? 'fauxgate' : `fauxgate/${name}`, path]),
)

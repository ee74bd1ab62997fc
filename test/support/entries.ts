import { fileURLToPath } from 'node:url'

const sources = {
  fauxgate: 'index.ts',
  'fauxgate/clock': 'testing/clock.ts',
  'fauxgate/jest': 'testing/jest.ts',
  'fauxgate/kit': 'kit/index.ts',
  'fauxgate/msw': 'testing/msw.ts',
  'fauxgate/node': 'server/node.ts',
  'fauxgate/openapi': 'openapi/openapi.ts',
  'fauxgate/testing': 'testing/testing.ts',
  'fauxgate/vitest': 'testing/vitest.ts',
}

/** The package's ways in, by the names that users import, each with the path of its source. */
export const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(sources).map(([name, path]) => [name, fileURLToPath(new URL(`../../src/${path}`, import.meta.url))]),
)

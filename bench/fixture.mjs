// Measures what testWithGateway adds to a test that does nothing.
import { testWithGateway } from '../dist/testing.js'
import { race, row } from './measure.mjs'

export async function benchFixture() {
  let run
  const define = testWithGateway((_name, work) => {
    run = work
  })
  define('is empty', () => undefined)
  const empty = run
  define('installs', ({ gateway }) => void gateway.install())
  const installing = run
  const rates = await race({ none: async () => undefined, empty, installing })
  const cost = (name) => (1e6 / rates[name] - 1e6 / rates.none).toFixed(1)
  row('a test with a gateway, its strict check included, µs', cost('empty'), 'under 100')
  row('… that is installed and taken out, µs', cost('installing'), 'under 100')
}

// Measures what testWithGateway adds to a test that does nothing.
import { testWithGateway } from '../../dist/testing.js'
import { print, race } from './measure.mjs'

export async function benchFixture() {
  let run
  const define = testWithGateway((_name, work) => {
    run = work
  })
  define('is empty', () => undefined)
  const empty = run
  define('installs', ({ gateway }) => void gateway.install())
  const install = run
  const rates = await race({ none: async () => undefined, empty, install })
  const formatCost = (name) => (1e6 / rates[name] - 1e6 / rates.none).toFixed(1)
  print('a test with a gateway, its strict check included, µs', formatCost('empty'), 'under 100')
  print('… that is installed and taken out, µs', formatCost('install'), 'under 100')
}

// Writes the OpenAPI documents of the dialects into dist, where the package has them.
import { writeFileSync } from 'node:fs'
import { ngrok, standard } from '../../dist/index.js'
import { ngrokFamilies } from '../../dist/ngrok.js'
import { openApi } from '../../dist/openapi.js'

const families = ngrokFamilies
const part = 'controls'
const documents = {
  'openapi.json': openApi(standard),
  'openapi.control.json': openApi(standard, { part }),
  'openapi.ngrok.json': openApi(ngrok, { families }),
  'openapi.ngrok.control.json': openApi(ngrok, { families, part }),
}
for (const [name, document] of Object.entries(documents)) {
  writeFileSync(new URL(`../../dist/${name}`, import.meta.url), `${JSON.stringify(document)}\n`)
}

// Generates the examples of errors in the OpenAPI documents: the messages that the requests of test/core/schema/errors
// receive, and those of ngrok's API that differ.
import { ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { ngrok } from '../../src/index.ts'
import { cases, prepare } from '../../test/core/schema/errors/cases.ts'
import type { ErrorCase } from '../../test/core/schema/errors/error-case.ts'
import { uncheckedClient } from '../../test/support/client.ts'

export default async function messages(): Promise<Map<string, string>> {
  const texts: Record<string, string> = {}
  const ngrokTexts: Record<string, string> = {}
  for (const each of cases) {
    const usual = await readError(each)
    texts[each.key] = usual.message
    const options = { ...each.options, dialect: ngrok, families: ngrokFamilies }
    const { message, number } = await readError({ ...each, options })
    // The dialect may have another error there, or none. Names of headers and hosts are replaced later.
    const namesService = [usual.message, message].some((text) => /-Version|gateway\.test|ngrok/.test(text ?? ''))
    if (message !== usual.message && !namesService && (number ?? usual.number) === usual.number)
      ngrokTexts[each.key] = message
  }
  const format = (all: object) => `${JSON.stringify(all, null, 2)}\n`
  return new Map([
    ['src/gateway/openapi/messages.json', format(texts)],
    ['src/gateway/openapi/messages.ngrok.json', format(ngrokTexts)],
  ])
}

/** Returns the message of a rejected request, or of the report if the response says no more than "Not Found". */
async function readError(each: ErrorCase) {
  const { gateway, id } = prepare(each)
  const { body } = await uncheckedClient(gateway)(...each.send(id))
  const { problem } = gateway.requests.last() ?? {}
  return { message: problem ?? body?.msg, number: body?.error_code?.replace(/^\D+/, '') }
}

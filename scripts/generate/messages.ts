// Generates the examples of errors in the OpenAPI document: the messages that the requests of test/core/schema/errors
// receive.
import { cases, prepare } from '../../test/core/schema/errors/cases.ts'
import { uncheckedClient } from '../../test/support/client.ts'

export default async function messages(): Promise<Map<string, string>> {
  const texts: Record<string, string> = {}
  for (const each of cases) {
    const { gateway, id } = prepare(each)
    const { body } = await uncheckedClient(gateway)(...each.send(id))
    texts[each.key] = body.msg
  }
  return new Map([['src/gateway/openapi/messages.json', `${JSON.stringify(texts, null, 2)}\n`]])
}

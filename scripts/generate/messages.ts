// The examples of errors in the OpenAPI document: what the requests of test/schema/errors are answered.
import { cases, prepare } from '../../test/schema/errors/cases.ts'
import { uncheckedClient } from '../../test/support/client.ts'

export default async function messages(): Promise<Map<string, string>> {
  const found: Record<string, string> = {}
  for (const each of cases) {
    const { gateway, id } = prepare(each)
    const { body } = await uncheckedClient(gateway)(...each.send(id))
    found[each.key] = body.msg
  }
  return new Map([['src/openapi/messages.json', `${JSON.stringify(found, null, 2)}\n`]])
}

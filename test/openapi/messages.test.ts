import { expect, test } from 'vitest'
import { cases, prepared } from '../schema/errors/cases.ts'
import { client } from '../support/client.ts'

test('the examples of errors in the document are what requests are answered: npm run messages:generate', async () => {
  const messages: Record<string, string> = {}
  for (const each of cases) {
    const { gateway, id } = prepared(each)
    const { body } = await client(gateway)(...each.send(id))
    messages[each.key] = body.msg
  }
  await expect(`${JSON.stringify(messages, null, 2)}\n`).toMatchFileSnapshot('../../src/openapi/messages.json')
})

// Takes the citations of rules, such as "(rules: lists#paging)", out of the built declarations: in an editor they lead nowhere.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const CITATION = /(?:\s*\n\s*\*)?\s*\(rules?:\s[^)]*\)/g

for (const name of readdirSync(dist).filter((each) => /\.d\.c?ts$/.test(each))) {
  const text = readFileSync(dist + name, 'utf8')
  writeFileSync(dist + name, text.replace(CITATION, ''))
}

// Writes docs/reference from the built package: `npm run reference`. A test fails where it is out of date.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createGateway, manualClock, ngrok, standard } from '../dist/index.js'
import { openApi } from '../dist/openapi.js'
import { pagesOf } from './reference/pages.mjs'

const root = new URL('../', import.meta.url)
const folder = new URL('docs/reference/', root)
const pem = (name) => readFileSync(new URL(`test/fixtures/x509/${name}.pem`, root), 'utf8')
const upload = { certificate_pem: pem('leaf-ed25519'), private_key_pem: pem('key-ed25519') }

const pages = await pagesOf({ openApi, standard, ngrok, createGateway, manualClock, upload })
mkdirSync(folder, { recursive: true })
for (const name of readdirSync(folder)) if (!pages[name]) rmSync(new URL(name, folder))
for (const [name, text] of Object.entries(pages)) writeFileSync(new URL(name, folder), text)

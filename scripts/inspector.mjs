// Makes the inspector, src/inspector, into one self-contained document: dist/inspector.html.gz, as it is served.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

const bundled = async (entry) => {
  const { outputFiles } = await build({
    entryPoints: [path(`src/inspector/${entry}`)],
    bundle: true,
    minify: true,
    target: 'es2022',
    format: 'iife',
    charset: 'utf8',
    legalComments: 'none',
    // Shorter than what the compiler makes of it.
    tsconfigRaw: {},
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: [path('src/inspector/jsx.ts')],
    write: false,
  })
  return outputFiles[0].text.trim()
}

const [script, style] = await Promise.all([bundled('main.tsx'), bundled('style.css')])
if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error('The page would end its own script.')
const whole = readFileSync(path('src/inspector/index.html'), 'utf8')
  .replace(/\n\s*/g, '')
  .replace('STYLE', () => style)
  .replace('SCRIPT', () => script)
const packed = gzipSync(whole, { level: 9 })
writeFileSync(path('dist/inspector.html.gz'), packed)
console.log(`The inspector has ${Buffer.byteLength(whole)} bytes, ${packed.length} as it is sent.`)

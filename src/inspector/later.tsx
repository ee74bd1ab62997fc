import type { ComponentType } from 'preact'
import { useLayoutEffect, useReducer } from 'preact/hooks'
import { shared } from './for-parts.ts'
import { page } from './page.ts'
import { Loading } from './shared/layout.tsx'

type Part = ComponentType<{ readonly id: string }>

const parts = new Map<string, Part>()

/** A part of the page that is a script of its own, loaded once. */
export function Later({ name, id }: { name: string; id: string }) {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useLayoutEffect(() => {
    if (!parts.has(name)) void page.load(() => loadPart(name).then(draw))
  }, [name])
  const Part = parts.get(name)
  return Part ? <Part id={id} /> : <Loading />
}

async function loadPart(name: string): Promise<void> {
  // The build must leave the import unchanged, so the address is no literal.
  const address = `./${name}.js`
  const { default: create }: { default: (from: object) => Part } = await import(address).catch(() => {
    throw new Error('This part of the page could not be loaded. Reload the page.')
  })
  parts.set(name, create(shared))
}

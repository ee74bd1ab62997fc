import type { ComponentType } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { shared } from './for-parts.ts'
import { page } from './page.ts'
import type { Service } from './service.ts'
import { Loading } from './shared/layout.tsx'

/** What parts take: an id, or what the page knows of the service. */
interface PartProps {
  readonly id?: string
  readonly service?: Service | undefined
}

type Part = ComponentType<PartProps>

const parts = new Map<string, Part>()

/** A part of the page that is a script of its own, loaded once. */
export function Later({ name, ...props }: PartProps & { name: string }) {
  useLayoutEffect(() => {
    if (!parts.has(name)) void page.load(() => loadPart(name))
  }, [name])
  const Part = parts.get(name)
  return Part ? <Part {...props} /> : <Loading />
}

async function loadPart(name: string): Promise<void> {
  // The build must leave the import unchanged, so the address is no literal.
  const address = `./${name}.js`
  const { default: create }: { default: (from: object) => Part } = await import(address).catch(() => {
    throw new Error('This part of the page could not be loaded. Reload the page.')
  })
  parts.set(name, create(shared))
  page.set({})
}

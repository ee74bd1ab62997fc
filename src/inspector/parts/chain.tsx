import { useEffect, useState } from 'preact/hooks'
import { usePage } from '../page.ts'
import { Facts } from '../shared/layout.tsx'
import { Json } from '../shared/parts.tsx'
import { Value } from './value.tsx'

/** A chain of certificates, one by one, and its PEM. */
export function Chain({ title, pem }: { title: string; pem: string }) {
  const page = usePage()
  const [read, show] = useState<readonly object[]>([])
  useEffect(() => {
    void page.doing(async () => show(await page.ask('POST', '/certificates', { certificate_pem: pem })))
  }, [pem])
  return (
    <>
      {read.map((certificate, index) => (
        <>
          <h3>
            Certificate {index + 1} of {read.length}
          </h3>
          <Facts
            of={Object.entries(certificate).map(([name, value]) => [
              name,
              <Value value={Array.isArray(value) ? value.join(', ') : value} />,
            ])}
          />
        </>
      ))}
      <Json value={pem} title={title} />
    </>
  )
}

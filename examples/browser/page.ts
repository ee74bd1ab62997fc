/** The fields of a domain that the page shows. */
interface Domain {
  readonly domain: string
  readonly certificate: object | null
}

/** The code under test: shows in a page which domains have a certificate. */
export async function showDomains(element: HTMLElement, baseUrl: string): Promise<void> {
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }
  const answer = await fetch(`${baseUrl}/reserved_domains`, { headers })
  if (!answer.ok) {
    element.textContent = `Domains cannot be shown: ${answer.status}`
    return
  }
  const { reserved_domains }: { reserved_domains: Domain[] } = await answer.json()
  const items = reserved_domains.map(({ domain, certificate }) => {
    const item = document.createElement('li')
    item.textContent = `${domain}: ${certificate ? 'secured' : 'in progress'}`
    return item
  })
  element.replaceChildren(...items)
}

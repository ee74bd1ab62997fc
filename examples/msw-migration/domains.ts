// The code under test: reserves a domain, once more if the service is overloaded, and waits for its certificate.
const api = 'https://api.ngrok.com'
const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

export async function reserve(domain: string): Promise<{ id: string }> {
  const body = JSON.stringify({ domain, certificate_management_policy: { authority: 'letsencrypt' } })
  const send = () => fetch(`${api}/reserved_domains`, { method: 'POST', headers, body })
  const first = await send()
  const answer = first.status === 503 ? await send() : first
  const answered = await answer.json()
  if (!answer.ok) throw new Error(`${domain} was not reserved: ${answered.error_code}`)
  return answered
}

export async function waitForCertificate(id: string, pause: () => Promise<unknown>): Promise<string> {
  for (let tries = 0; tries < 5; tries++) {
    const answer = await fetch(`${api}/reserved_domains/${id}`, { headers })
    const { certificate } = await answer.json()
    if (certificate) return certificate.id
    await pause()
  }
  throw new Error(`${id} has no certificate after 5 tries`)
}

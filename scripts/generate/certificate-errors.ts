// Writes the numbered errors of certificate jobs into docs/provisioning.md.
import { CERTIFICATE_ERRORS, listCertificateErrors } from '../../src/service/provisioning/certificate-errors.ts'
import { table, withParts } from './markdown.ts'

export default function certificateErrors(root: string): Map<string, string> {
  const rows = listCertificateErrors().map((key) => {
    const { number, error_code } = CERTIFICATE_ERRORS[key]
    return [`\`ERR_NGROK_${number}\``, `\`${key}\``, `\`${error_code}\``]
  })
  const part = `\n${table(['code', 'key', '`error_code`'], rows)}\n`
  return new Map([withParts(root, 'docs/provisioning.md', { 'numbered errors': part })])
}

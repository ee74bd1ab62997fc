// Formats the section of the reference about the numbered errors of certificate jobs.
import { CERTIFICATE_ERRORS, listCertificateErrors } from '../../src/service/provisioning/certificate-errors.ts'
import { table } from './markdown.ts'

export function formatCertificateErrors(): string {
  const rows = listCertificateErrors().map((key) => {
    const { number, error_code } = CERTIFICATE_ERRORS[key]
    return [`\`ERR_NGROK_${number}\``, `\`${key}\``, `\`${error_code}\``]
  })
  return [
    '## Numbered errors of certificate jobs',
    'Each has one of the two values of `error_code`. [A script](provisioning.md#make-an-attempt-fail) takes them by code or key.',
    table(['code', 'key', '`error_code`'], rows),
  ].join('\n\n')
}

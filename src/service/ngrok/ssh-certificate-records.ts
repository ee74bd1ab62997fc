import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata } from './shared.ts'

/** The values from which a key is derived, along with its authority's sequence number. */
export const key = v.object({
  type: parts.oneOfThese(parts.SSH_KEY_TYPES),
  curve: v.picklist(['nistp256', 'nistp384', 'nistp521']),
  bits: v.picklist([2048, 4096]),
  number: parts.made(kit.count),
})

const options = v.record(v.string(), v.string())

const fields = {
  authority_id: kit.idOf('sshca'),
  /** The sequence number of the authority's key, so that a response does not need another record. */
  key,
  public_key: v.string(),
  principals: v.array(v.string()),
  valid_after: parts.instant,
  valid_until: parts.instant,
  critical_options: options,
  extensions: options,
  number: parts.made(kit.count),
}

/** The record of an SSH certificate. */
export type SshCertificateRecord = kit.ResourceRecord &
  kit.Frozen<v.InferOutput<v.ObjectSchema<typeof fields, undefined>>>

function certificates(prefix: string, name: string) {
  const schema = v.object({ ...kit.recordHead(prefix, descriptionAndMetadata()), ...fields })
  return kit.collection<SshCertificateRecord>({
    name,
    schema,
    indexes: { authority: ({ authority_id }) => authority_id },
  })
}

/** The SSH host certificates, indexed by authority. */
export const sshHostRecords = certificates('shcrt', 'ssh_host_certificates')

/** The SSH user certificates, indexed by authority. */
export const sshUserRecords = certificates('sucrt', 'ssh_user_certificates')

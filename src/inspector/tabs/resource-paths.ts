import { listIdNames, type Service, type ServiceFamily } from '../service.ts'

/** Returns a path filled with these IDs, in order. */
export function fillPath(path: string, ids: readonly string[]): string {
  let at = 0
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(ids[at++] ?? ''))
}

/** Returns the families with paths under a resource's path: its modules, and the resources created in it. */
export function listFamiliesBelow({ families }: Service, { itemPath }: ServiceFamily): ServiceFamily[] {
  const plain = (path: string) => path.replace(/\{\w+\}/g, '{}')
  const most = listIdNames(itemPath).length
  return families.filter((each) => {
    const count = listIdNames(each.itemPath).length
    return plain(each.itemPath).startsWith(`${plain(itemPath)}/`) && count <= most + (each.create ? 1 : 0)
  })
}

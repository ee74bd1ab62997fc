export function ownPort(): Promise<number>

/** The page of a parcel sends the client away if its name says so: `to-<target>` and, before it, how. */
const TARGETS: Record<string, string> = {
  index: '/gssp-redirect',
  counter: '/gssp-redirect/counter',
  fresh: '/gssp-redirect/fresh/first',
  kept: '/gssp-redirect/kept/first',
  missing: '/gssp-redirect/missing',
  abroad: 'http://abroad.invalid/office',
}

export function forwardOf(parcel: string) {
  const [how = '', target = ''] = parcel.split('-to-')
  const destination = TARGETS[target]
  if (!destination) return undefined
  const status = /^with-(\d+)$/.exec(how)?.[1]
  return {
    redirect: status ? { destination, statusCode: Number(status) } : { destination, permanent: how === 'permanent' },
    ...(how === 'renewed' && { revalidate: 1 }),
  }
}

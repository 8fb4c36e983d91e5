const calls = new Map<string, number>()

/** Data of a path that is there from the second call on; during a build there is none. */
export function appears(page: string) {
  return ({ params }: { params?: object }) => {
    if (process.env.NEXT_PHASE === 'phase-production-build') return { notFound: true as const, revalidate: 1 }
    const path = page + JSON.stringify(params ?? null)
    const call = (calls.get(path) ?? 0) + 1
    calls.set(path, call)
    if (call === 1 && !path.includes('listed')) return { notFound: true as const, revalidate: 1 }
    return { props: { params: params ?? null, call }, revalidate: 1 }
  }
}

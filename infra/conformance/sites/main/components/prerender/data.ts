type Params = Record<string, string | string[]>

let calls = 0

/** Props that differ for each call of the data function of a page. */
export const dataOf = (params: Params | undefined) => ({ params: params ?? null, made: `${Date.now()}-${++calls}` })

/** Data of a page with parameters, after some time, that is made again after as many seconds. */
export const dataAfter =
  (ms: number, revalidate: number | false) =>
  async ({ params }: { params?: Params }) => {
    if (ms > 0) await new Promise((done) => setTimeout(done, ms))
    return { props: dataOf(params), revalidate }
  }

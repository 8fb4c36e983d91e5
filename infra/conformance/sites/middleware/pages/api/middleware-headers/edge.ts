export const config = { runtime: 'edge' }

export default function edge({ headers }: Request) {
  return Response.json(Object.fromEntries(headers))
}

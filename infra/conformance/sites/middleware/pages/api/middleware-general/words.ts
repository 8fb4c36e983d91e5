export const config = { runtime: 'edge' }

export default function words({ url }: Request) {
  return Response.json(Object.fromEntries(new URL(url).searchParams))
}

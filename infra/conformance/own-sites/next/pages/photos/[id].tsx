import { useRouter } from 'next/compat/router'

export default function Photo() {
  return <h1>Photo {String(useRouter()?.query.id)} alone</h1>
}

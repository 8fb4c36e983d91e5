import { useRouter } from 'next/router'

export default function Second() {
  const router = useRouter()
  return (
    <button id="to-start" type="button" onClick={() => void router.push('./relative')}>
      start
    </button>
  )
}

// components/rating.tsx
import useSWR from 'swr'

const getJson = async (url: string): Promise<{ stars: number }> =>
  (await fetch(url)).json()

export function Rating() {
  const { data, error } = useSWR('/api/rating', getJson)
  if (error) return <span>No rating</span>
  return (
    <span>{data ? `${data.stars} of 5 stars` : 'Loading the rating …'}</span>
  )
}

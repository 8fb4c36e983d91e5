import { useEffect, useState } from 'react'

const lights = (colour: string) => colour

export const COLOUR = lights('green')

const getServerSideProps = async () => ({ props: {} })

/** Exports a value, and its data function at the end. */
export default function Lamp() {
  const [isLit, setIsLit] = useState(false)
  useEffect(() => setIsLit(true), [])
  return <p id="lamp">{isLit ? COLOUR : 'dark'}</p>
}

export { getServerSideProps }

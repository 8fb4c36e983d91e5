export { default } from 'next/error'

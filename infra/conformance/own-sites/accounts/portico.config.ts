import { defineConfig } from 'portico/config'

export default defineConfig({})

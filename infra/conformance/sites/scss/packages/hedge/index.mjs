export const name = 'hedge'

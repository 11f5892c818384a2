// The words of HTTP as Node knows them: data only, and the one file here that names Node's HTTP module.
export { METHODS, STATUS_CODES } from 'node:http';

import{a as o}from"./shared.js";function t(){return o("h1",{children:"Reports"})}export{t as default};

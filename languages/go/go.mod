module github.com/fauxgate/fauxgate/languages/go

go 1.22
